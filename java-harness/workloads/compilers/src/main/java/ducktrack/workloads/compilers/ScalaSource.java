package ducktrack.workloads.compilers;

/** Scala files that ask the type checker and the pattern matcher for some work. */
final class ScalaSource {
    private static final String TEMPLATE = """
            package generated

            sealed trait Shape# { def area: Double }
            case class Circle#(radius: Double) extends Shape# { def area: Double = math.Pi * radius * radius }
            case class Box#(width: Double, height: Double) extends Shape# { def area: Double = width * height }
            case class Group#[+A <: Shape#](members: List[A], name: Option[String] = None) extends Shape# {
              def area: Double = members.map(_.area).sum
              def filter(keep: A => Boolean): Group#[A] = copy(members = members.filter(keep))
              def ++[B >: A <: Shape#](other: Group#[B]): Group#[B] = Group#(members ++ other.members, name orElse other.name)
            }

            trait Show#[-A] { def show(value: A): String }
            object Show# {
              def apply[A](implicit show: Show#[A]): Show#[A] = show
              implicit val int: Show#[Int] = (value: Int) => value.toString
              implicit val double: Show#[Double] = value => f"$value%.2f"
              implicit def list[A: Show#]: Show#[List[A]] = values => values.map(Show#[A].show).mkString("[", ", ", "]")
              implicit def option[A](implicit inner: Show#[A]): Show#[Option[A]] = _.fold("none")(inner.show)
              implicit def pair[A: Show#, B: Show#]: Show#[(A, B)] = { case (a, b) => s"(${Show#[A].show(a)}, ${Show#[B].show(b)})" }
            }

            object Main# {
              def describe(shape: Shape#): String = shape match {
                case Circle#(r) if r > 100 => "big circle"
                case Circle#(_) => "circle"
                case Box#(w, h) if w == h => "square"
                case Box#(w, h) => s"box $w by $h"
                case Group#(Nil, name) => "empty " + name.getOrElse("group")
                case Group#(head :: Nil, _) => "just " + describe(head)
                case Group#(head :: tail, Some(name)) => name + tail.size + describe(head)
                case Group#(_, None) => "group"
              }
              def primes(n: Int): LazyList[Int] = {
                def sieve(s: LazyList[Int]): LazyList[Int] = s.head #:: sieve(s.tail.filter(_ % s.head != 0))
                sieve(LazyList.from(2)).take(n)
              }
              def run(): String = {
                val table = for { x <- 1 to 9; y <- x to 9 if (x + y) % 3 == 0; z = x * y } yield (x, y.toDouble -> List(z, x + y))
                val grouped = table.groupBy(_._1).view.mapValues(_.map(_._2._2.sum).sum).toMap
                Show#[List[(Int, (Double, List[Int]))]].show(table.toList) + Show#[Option[Int]].show(grouped.get(3))
              }
            }
            """;

    private ScalaSource() {}

    static String generate(int number) {
        return TEMPLATE.replace("s.head #::", "s.head @::").replace("#", Integer.toString(number)).replace("@::", "#::");
    }
}
