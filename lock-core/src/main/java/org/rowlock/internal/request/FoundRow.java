package org.rowlock.internal.request;

import java.util.List;

/** A row that is locked, or meant: its number in its group, from 1, and the texts of its id. */
public record FoundRow(int ordinal, List<String> id) {}
