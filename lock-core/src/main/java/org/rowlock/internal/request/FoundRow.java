package org.rowlock.internal.request;

import java.util.List;

/**
 * A row that is locked, or meant.
 *
 * @param ordinal its number in its group, from 1
 * @param id the texts of its id
 */
public record FoundRow(int ordinal, List<String> id) {}
