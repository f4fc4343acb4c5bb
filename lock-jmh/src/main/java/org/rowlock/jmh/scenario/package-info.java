/** The model of a scenario: its points, variants and metrics. The scenarios themselves are in scenarios.md. */
@NullMarked
package org.rowlock.jmh.scenario;

import org.jspecify.annotations.NullMarked;
