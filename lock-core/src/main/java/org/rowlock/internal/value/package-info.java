/**
 * The implementations of the API's value types, with methods that users do not need. Start at {@link
 * org.rowlock.internal.value.RequestParts}.
 */
@NullMarked
package org.rowlock.internal.value;

import org.jspecify.annotations.NullMarked;
