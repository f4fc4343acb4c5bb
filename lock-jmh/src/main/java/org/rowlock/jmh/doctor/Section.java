package org.rowlock.jmh.doctor;

import java.util.List;

/** Findings about one thing. */
record Section(String title, List<Finding> findings) {}
