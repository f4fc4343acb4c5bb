/**
 * Examines a running server without changing it, and reports whether row locks hurt it and what to do. Start at {@code
 * Doctor}. The SQL of each {@code ServerQuery} is in a file beside the classes. {@code Samples} adds up the results.
 * {@code Seen} holds all observations. The {@code Rules} derive advice from the observations without a server, and
 * {@code Screen} prints the {@code Diagnosis}.
 */
@NullMarked
package org.rowlock.doctor;

import org.jspecify.annotations.NullMarked;
