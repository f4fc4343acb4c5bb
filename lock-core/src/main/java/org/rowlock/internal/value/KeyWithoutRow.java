package org.rowlock.internal.value;

import org.rowlock.LockKey;
import org.rowlock.internal.text.IdText;

/** A key that belongs to no table. */
public sealed interface KeyWithoutRow extends LockKey {

    /** The key of a name. */
    record Name(String name) implements KeyWithoutRow {
        public Name {
            if (name == null || name.isBlank() || name.indexOf(0) >= 0 || IdText.hasLoneSurrogate(name)) {
                String notText = "not text (it contains a NUL character or half of a surrogate pair)";
                throw new IllegalArgumentException("The lock name is "
                        + (name == null ? "null" : name.isBlank() ? "blank" : notText)
                        + "; give a name such as \"nightly-report\"");
            }
        }

        @Override
        public String toString() {
            return "name[" + name + ']';
        }
    }

    /** The key of the advisory lock with a 64-bit number. */
    record RawNumber(long number) implements KeyWithoutRow {
        @Override
        public String toString() {
            return "number[" + number + ']';
        }
    }

    /**
     * The key of the advisory lock with two 32-bit numbers.
     *
     * @param first the number that pg_locks shows as classid
     * @param second the number that pg_locks shows as objid
     */
    record RawPair(int first, int second) implements KeyWithoutRow {
        @Override
        public String toString() {
            return "pair[" + first + ", " + second + ']';
        }
    }
}
