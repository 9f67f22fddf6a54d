# What the plugins of clusters other than Slurm (profiles/) do not know of docmt's jobs (docmt/plan/other_clusters.py).
#
# This file comes after all rules, whose resources it reads: profiles and command line are part of them already.

ask_lsf_for_gpus(workflow.rules)
share_folder_with_pods(ExecutorPluginRegistry().plugins)
