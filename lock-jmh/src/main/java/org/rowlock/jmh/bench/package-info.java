/**
 * The JMH benchmarks, with a class for each kind of work. Each creates its tables when it is set up. When it is torn
 * down, it checks that its locks excluded other transactions, and fails if they did not.
 */
@NullMarked
package org.rowlock.jmh.bench;

import org.jspecify.annotations.NullMarked;
