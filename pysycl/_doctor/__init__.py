"""`python -m pysycl`: the demonstration, the doctor, the self-test and the word of progress."""
