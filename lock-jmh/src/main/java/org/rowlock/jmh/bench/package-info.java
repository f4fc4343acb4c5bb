/**
 * The benchmarks themselves, a class per scenario, for JMH. Each creates its tables when it is set up. When it is torn
 * down, it checks that its locks kept their promise, and fails if they did not.
 */
@NullMarked
package org.rowlock.jmh.bench;

import org.jspecify.annotations.NullMarked;
