// The target that precompiles the headers of all test programs needs a file of its own.
