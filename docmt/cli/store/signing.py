"""`docmt store sign`: a person states which bytes the artifacts of a store have."""

from contextlib import chdir
from pathlib import Path
from typing import Annotated

import typer

from docmt.base.errors import UserError
from docmt.base.screen import print_json
from docmt.cli.options import AsJson, Config, Root, input_file, overrides


def sign(
    key: Annotated[Path, input_file("a private key of OpenSSH, such as ~/.ssh/id_ed25519")],
    identities: Annotated[
        list[str] | None, typer.Argument(metavar="IDENTITY", help="identities, or their first digits")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="sign all artifacts of the store")] = False,
    mine: Annotated[bool, typer.Option("--mine", help="sign the artifacts whose files belong to this user")] = False,
    root: Root = Path(),
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Sign artifacts of the store: state with your key which bytes they have.

    With `store_keys` in config.yaml, a run uses of the store only what one of these keys has signed. Sign what you have
    made, or have checked. The list that is signed is kept in the store. A passphrase is asked for.
    """
    from docmt.plan.run import grid_of_run
    from docmt.plan.stored import named_store
    from docmt.store.chosen import all_entries, entries_of, identities_of_user, named_identities
    from docmt.store.signing import read_key
    from docmt.store.signing import sign as write_list

    if sum((bool(identities), every, mine)) != 1:
        raise UserError("not one choice of artifacts", where="docmt store sign", expected="IDENTITY, --all or --mine")
    key = key.absolute()
    with chdir(root):
        store = named_store(grid_of_run(Path(), overrides(config)))
        if identities:
            chosen = named_identities(store, identities)
        else:
            chosen = [*all_entries(store)] if every else identities_of_user(store)
        entries = entries_of(store, chosen)
        if not entries:
            raise UserError("there is nothing to sign", where=store.address)
        signed = write_list(store.backend, entries, read_key(key, ask_passphrase))
    signer = signed.signer()
    assert signer is not None
    if as_json:
        print_json({"list": signed.key, "signer": signer.sha256_str(), "identities": sorted(signed.contents)})
    else:
        count = f"{len(entries)} {'artifact' if len(entries) == 1 else 'artifacts'}"
        typer.echo(f"{count} signed with {signer.sha256_str()}\nfor store_keys: NAME {signer.openssh_str()}")


def ask_passphrase() -> str:
    """Ask for the passphrase of a key; it is not shown."""
    return str(typer.prompt("Passphrase", hide_input=True, err=True))
