package org.rowlock.jdbc.programs;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Delete;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;

/** MyBatis, with mappers in the manner of its examples. */
final class MyBatisProgram implements Program {
    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        Configuration configuration =
                new Configuration(new Environment("test", new JdbcTransactionFactory(), dataSource));
        configuration.addMapper(Shop.class);
        SqlSessionFactory sessions = new SqlSessionFactoryBuilder().build(configuration);
        List<String> out = new ArrayList<>();
        try (SqlSession session = sessions.openSession()) {
            Shop shop = session.getMapper(Shop.class);
            shop.createInventory();
            shop.createSequence();
            for (int i = 1; i <= 3; i++) {
                shop.insert("EST-" + i, 10_000);
            }
            shop.insertSequence("ordernum", 1000);
            session.commit();
        }
        try (SqlSession session = sessions.openSession()) {
            Shop shop = session.getMapper(Shop.class);
            out.add("locked " + shop.lock("EST-1"));
            out.add("none locked " + shop.lock("EST-9"));
            out.add("locked several " + shop.lockSeveral(List.of("EST-1", "EST-2")));
            out.add("locked one of a list " + shop.lockSeveral(List.of("EST-3")));
            out.add("took " + shop.take("EST-1", 1));
            out.add("took as long as there are " + shop.takeIfThere("EST-1", 1_000_000));
            out.add("set " + shop.set("EST-2", 5, null));
            out.add("set both " + shop.set("EST-2", 6, "red"));
            out.add("moved on " + shop.moveOn("ordernum", 1000, 1001));
            out.add("deleted " + shop.delete("EST-3"));
            session.commit();
        }
        try (SqlSession session = sessions.openSession(ExecutorType.BATCH)) {
            Shop shop = session.getMapper(Shop.class);
            shop.take("EST-1", 1);
            shop.take("EST-2", 1);
            session.flushStatements();
            session.rollback();
        }
        Concurrently.run(8, 25, () -> {
            try (SqlSession session = sessions.openSession()) {
                Shop shop = session.getMapper(Shop.class);
                int there = shop.lock("EST-1");
                shop.set("EST-1", there - 1, null);
                session.commit();
            }
        });
        try (SqlSession session = sessions.openSession()) {
            out.add("left " + session.getMapper(Shop.class).quantity("EST-1"));
            out.add("left " + session.getMapper(Shop.class).quantity("EST-2"));
        }
        return out;
    }

    interface Shop {
        @Update("create table INVENTORY (ITEMID varchar(10) primary key, QTY int not null, COLOUR text)")
        void createInventory();

        @Update("create table NUMBERS (NAME varchar(30) primary key, NEXTID int not null)")
        void createSequence();

        @Insert("INSERT INTO INVENTORY (ITEMID, QTY) VALUES (#{id}, #{quantity})")
        void insert(@Param("id") String id, @Param("quantity") int quantity);

        @Insert("INSERT INTO NUMBERS (NAME, NEXTID) VALUES (#{name}, #{next})")
        void insertSequence(@Param("name") String name, @Param("next") int next);

        @Select("SELECT QTY FROM INVENTORY WHERE ITEMID = #{id}")
        int quantity(String id);

        @Select("SELECT QTY AS value FROM INVENTORY WHERE ITEMID = #{id} FOR UPDATE")
        Integer lock(String id);

        @Select("""
                <script>
                select ITEMID from INVENTORY
                <where>
                  ITEMID in
                  <foreach item="id" collection="ids" open="(" separator="," close=")">#{id}</foreach>
                </where>
                order by ITEMID
                for update
                </script>""")
        List<String> lockSeveral(@Param("ids") List<String> ids);

        @Update("UPDATE INVENTORY SET QTY = QTY - #{increment} WHERE ITEMID = #{id}")
        int take(@Param("id") String id, @Param("increment") int increment);

        @Update("UPDATE INVENTORY SET QTY = QTY - #{n} WHERE ITEMID = #{id} AND QTY >= #{n}")
        int takeIfThere(@Param("id") String id, @Param("n") int n);

        @Update("""
                <script>
                update INVENTORY
                <set>
                  QTY = #{quantity},
                  <if test="colour != null">COLOUR = #{colour},</if>
                </set>
                where ITEMID = #{id}
                </script>""")
        int set(@Param("id") String id, @Param("quantity") int quantity, @Param("colour") String colour);

        @Update("UPDATE NUMBERS SET NEXTID = #{next} WHERE NAME = #{name} and NEXTID = #{now}")
        int moveOn(@Param("name") String name, @Param("now") int now, @Param("next") int next);

        @Delete("delete from INVENTORY where ITEMID = #{id}")
        int delete(String id);
    }
}
