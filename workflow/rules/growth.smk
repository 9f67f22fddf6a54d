# Memory and time of a job's attempts: `mem_mb` doubles after a failure for want of memory, `runtime` after a time-out,
# up to `max_mem_mb` and `max_runtime` of the site, and nothing grows after any other failure (docmt/plan/growth.py).
#
# This file comes after all rules, whose resources it wraps: profiles and command line are part of them already.

let_resources_grow(workflow.modifier.rules)
logger.addHandler(JobLog(workflow, training_ran_out_of_memory))
