package org.rowlock.doctor;

import java.util.List;

/** Findings about one thing. */
record Section(String title, List<Finding> findings) {}
