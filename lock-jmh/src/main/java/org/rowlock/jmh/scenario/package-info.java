/**
 * The model of a scenario: its points, variants and metrics. The file scenarios.md defines the scenarios.
 */
@NullMarked
package org.rowlock.jmh.scenario;

import org.jspecify.annotations.NullMarked;
