/**
 * The evidence: benchmarks of row locks against advisory locks, run on the user's own server. Start at
 * {@link BenchmarksMain}.
 */
@NullMarked
package org.rowlock.jmh;

import org.jspecify.annotations.NullMarked;
