package org.rowlock.spring.boot;

import org.rowlock.LockListener;

/** Notifies two listeners, the second also if the first throws. */
record LockListeners(LockListener first, LockListener second) implements LockListener {
    @Override
    public void onAcquisition(LockAcquisition acquisition) {
        try {
            first.onAcquisition(acquisition);
        } finally {
            second.onAcquisition(acquisition);
        }
    }

    @Override
    public void onAdmission(AdmissionWait wait) {
        try {
            first.onAdmission(wait);
        } finally {
            second.onAdmission(wait);
        }
    }

    @Override
    public void onHold(LockHold hold) {
        try {
            first.onHold(hold);
        } finally {
            second.onHold(hold);
        }
    }
}
