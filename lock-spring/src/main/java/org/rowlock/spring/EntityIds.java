package org.rowlock.spring;

import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.metamodel.Type;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.util.ClassUtils;

/** The ids of entities. JPA wants exactly the type that the entity has: a long where it says Long. */
final class EntityIds {
    private static final ConversionService CONVERSIONS = DefaultConversionService.getSharedInstance();

    private EntityIds() {}

    static Class<?> idType(EntityManagerFactory factory, Class<?> entity) {
        Type<?> type = factory.getMetamodel().entity(entity).getIdType();
        return type == null ? Object.class : type.getJavaType();
    }

    static boolean canConvert(Class<?> from, Class<?> type) {
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        return boxed.isAssignableFrom(ClassUtils.resolvePrimitiveIfNecessary(from))
                || from == Object.class
                || (isSimple(boxed) && CONVERSIONS.canConvert(from, boxed));
    }

    /** @throws IllegalArgumentException if it cannot be */
    static Object convert(Object id, Class<?> type, Class<?> entity) {
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        if (boxed.isInstance(id)) {
            return id;
        }
        try {
            Object converted = isSimple(boxed) ? CONVERSIONS.convert(id, boxed) : null;
            if (converted != null) {
                return converted;
            }
        } catch (ConversionException e) {
            // Said below.
        }
        throw new IllegalArgumentException("An id of type " + id.getClass().getName() + " is none of the entity "
                + entity.getName() + ", which is to be read behind the lock; give a " + boxed.getName());
    }

    /** Of an id class an instance could be made of anything by a constructor that means something else. */
    private static boolean isSimple(Class<?> type) {
        return org.springframework.beans.BeanUtils.isSimpleValueType(type);
    }
}
