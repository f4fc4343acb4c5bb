package org.rowlock.internal.text;

/** The address of the documentation, to which messages link. A test checks each link. */
public final class Docs {
    public static final String URL = "https://github.com/rowlock/rowlock/blob/main/docs/";

    private Docs() {}
}
