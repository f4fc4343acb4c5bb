package org.rowlock;

import java.util.List;

/**
 * What a call on several keys came to hold.
 *
 * @param keys the distinct keys asked for, in the caller's order
 * @param absentRows those whose row was looked for and does not exist: with {@link LockStrategy#ROW} nothing is locked
 *     for them, with {@link LockStrategy#BOTH} the key is. Always empty with {@link LockStrategy#ADVISORY}, which does
 *     not look
 */
public record LockAllResult(List<LockKey> keys, List<LockKey> absentRows) {}
