create table book (id bigint primary key, title varchar(200) not null, price decimal(10, 2) not null, published date not null);
create table author (book bigint not null references book (id), name varchar(100) not null);
