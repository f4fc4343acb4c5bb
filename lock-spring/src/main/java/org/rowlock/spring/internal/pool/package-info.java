/**
 * What is known of connection pools and routing DataSources.
 * Not for applications: types are public here for the other rooms alone, and change without notice.
 */
@NullMarked
package org.rowlock.spring.internal.pool;

import org.jspecify.annotations.NullMarked;
