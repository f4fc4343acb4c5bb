package org.rowlock.jdbc.programs.entity;

import java.io.Serializable;

public record SeatId(String row, int number) implements Serializable {}
