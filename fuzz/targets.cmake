# A target per reader of files and messages.
set(EPSFREE_FUZZ_TARGETS
  check
  csv
  estimator
  ledger
  ledger_salvage
  observation
  posterior
  problem
  simulations_csv
  simulator_output
  status
  summary
  worker_message)
