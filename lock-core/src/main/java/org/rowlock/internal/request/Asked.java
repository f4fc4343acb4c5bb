package org.rowlock.internal.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was asked, for messages.
 *
 * @param keys how many distinct keys
 * @param id the parts of the first id, if only the server knows whether its column takes it
 */
public record Asked(
        String what, int keys, @Nullable String table, List<String> id, boolean hotStandby, KeyNames names) {}
