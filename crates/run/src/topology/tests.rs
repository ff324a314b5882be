//! Distances by hand and by law, and messages about invalid files.

use proptest::prelude::*;

use super::switches::Switches;
use super::torus::Torus;
use super::tree::Tree;
use super::*;

fn torus(shape: &[u32], wrap: bool) -> Torus {
    Torus { shape: shape.to_vec(), wrap: vec![wrap; shape.len()], order: (0..shape.len()).collect() }
}

fn wrong(text: &str) -> String {
    Topology::parse(text).err().unwrap_or_else(|| panic!("taken: {text}")).to_string()
}

#[test]
fn a_torus_by_hand() {
    let t = torus(&[4, 4, 2], true);
    assert_eq!((t.nodes(), t.coordinates(0), t.coordinates(27)), (32, vec![0, 0, 0], vec![3, 2, 1]));
    // (0,0,0) to (3,2,1): one link round the ring, two along it, one across.
    assert_eq!((t.hops(0, 27), torus(&[4, 4, 2], false).hops(0, 27)), (4, 6));
    // A ring of two has one link between its nodes as far as hops go.
    assert_eq!(torus(&[2], true).hops(0, 1), 1);
    let swapped = Torus { order: vec![2, 1, 0], ..t };
    assert_eq!(swapped.coordinates(1), [0, 0, 1]);
}

/// From every node of a 2x3x2 torus the other eleven are 20/11 hops away on average, three at most.
#[test]
fn mean_and_largest_distance_of_a_small_torus() {
    let t = torus(&[2, 3, 2], true);
    for from in 0..12 {
        let hops: Vec<u32> = (0..12).filter(|&to| to != from).map(|to| t.hops(from, to)).collect();
        assert_eq!((hops.iter().sum::<u32>(), hops.iter().max()), (20, Some(&3)));
    }
}

#[test]
fn a_tree_by_hand() {
    let t = Tree { arity: vec![4, 2, 3], uplinks: Vec::new() };
    assert_eq!((t.nodes(), t.leaf(7)), (24, 1));
    // Same leaf switch; same switch above (leaf, it, leaf); through the root.
    assert_eq!([t.hops(5, 5), t.hops(0, 3), t.hops(0, 4), t.hops(0, 8), t.hops(23, 0)], [0, 1, 3, 5, 5]);
}

#[test]
fn switches_by_hand() {
    let t = Topology::parse(
        r#"
        [[switch]]
        name = "s1"
        hosts = ["a[1-2]", "login.cluster.org"]
        links = ["core"]
        [[switch]]
        name = "s2"
        hosts = ["b1"]
        links = ["core"]
        [[switch]]
        name = "core"
        "#,
    )
    .unwrap();
    let node = |host: &str| t.node(0, host).unwrap();
    assert_eq!((t.describe(), t.nodes(), t.place(node("b1"))), ("3 switches".into(), 4, "s2".into()));
    let hops = |a: &str, b: &str| t.hops(node(a), node(b));
    assert_eq!([hops("a1", "a1"), hops("a1", "a2"), hops("a1", "b1")], [0, 1, 3]);
    assert_eq!(node("login"), node("login.cluster.org"));
    assert_eq!((t.node(0, "c1"), t.is_by_rank()), (None, false));
}

#[test]
fn routes_by_hand() {
    let t = Topology::parse("[torus]\nshape = '4x3'\n[nodes]\nranks_per_node = 1").unwrap();
    let names = |t: &Topology, a, b| t.route(a, b).into_iter().map(|link| t.link_name(link)).collect::<Vec<_>>();
    // (0,0) to (3,2): back round the ring in the first dimension, then back in the second one.
    assert_eq!(names(&t, 0, 11), ["(0,0) to (3,0)", "(3,0) to (3,2)"]);
    // Two equal ways: the one in which coordinates grow.
    assert_eq!(names(&t, 0, 2), ["(0,0) to (1,0)", "(1,0) to (2,0)"]);
    let tree = |uplinks: &str| {
        Topology::parse(&format!("[tree]\narity = [4, 2]\n{uplinks}[nodes]\nranks_per_node = 1")).unwrap()
    };
    assert_eq!(names(&tree(""), 0, 3), Vec::<String>::new());
    assert_eq!(names(&tree(""), 0, 6), ["leaf switch 0, link 2 up", "leaf switch 1, link 2 down"]);
    assert_eq!(names(&tree("uplinks = 1\n"), 0, 6), ["leaf switch 0, link 0 up", "leaf switch 1, link 0 down"]);
}

#[test]
fn hosts_and_ranks_are_placed() {
    let t = Topology::parse("[torus]\nshape = '2x2'\n[nodes]\nhosts = ['n[0-3]']").unwrap();
    assert_eq!((t.node(9, "n3"), t.node(9, "n3.local"), t.node(9, "n4")), (Some(3), Some(3), None));
    let t = Topology::parse("[tree]\narity = 2\nlevels = 2\n[nodes]\nranks_per_node = 4").unwrap();
    assert_eq!((t.node(3, ""), t.node(15, ""), t.node(16, ""), t.node(-1, "")), (Some(0), Some(3), None, None));
    let t = Topology::parse("[torus]\nshape = [3]\nwrap = false\n[nodes]\nranks = [[0, 3], '1-2', 7]").unwrap();
    assert_eq!(
        (t.describe(), t.node(3, ""), t.node(2, ""), t.node(7, "")),
        ("mesh 3".into(), Some(0), Some(1), Some(2))
    );
    assert_eq!((t.node(4, ""), t.place(2), t.is_by_rank()), (None, "(2)".into(), true));
    let t = "[[switch]]\nname = 's'\nnodes = '0-1'\n[nodes]\nranks_per_node = 1";
    assert_eq!(Topology::parse(t).unwrap().node(1, ""), Some(1));
}

#[test]
fn a_hop_may_have_a_latency() {
    let rest = "[torus]\nshape = \"4\"\n[nodes]\nranks_per_node = 1\n";
    let of = |line: &str| Topology::parse(&format!("{line}\n{rest}"));
    assert_eq!(of("").unwrap().hop_latency_ns(), 0.0);
    assert_eq!(of("hop_latency_ns = 150").unwrap().hop_latency_ns(), 150.0);
    assert_eq!(of("hop_latency_ns = 0.5").unwrap().hop_latency_ns(), 0.5);
    for line in ["hop_latency_ns = -1", "hop_latency_ns = nan", "hop_latency_ns = 2e9", "hop_latency_ns = \"1us\""] {
        assert_eq!(of(line).unwrap_err().line, Some(1), "{line}");
    }
}

#[test]
fn examples_of_the_documentation_are_taken() {
    let text = include_str!("../../../../docs/topology.md");
    let blocks = text.split("```toml").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut said: Vec<String> = blocks.map(|block| Topology::parse(block).unwrap().describe()).collect();
    assert_eq!(said.remove(0), "torus 4x4x2");
    assert_eq!(said, ["torus 4x4x2, open in dimension 2", "tree of 2 levels, 16 nodes a leaf switch", "3 switches"]);
}

#[test]
fn wrong_files_are_told_with_their_line() {
    let said = [
        ("", "no network: write one of [torus], [tree] and [[switch]]"),
        ("[torus]\nshape = '4x'", "line 2: shape must be \"4x4x2\" or [4, 4, 2]: 1 to 8 extents of at least 1"),
        ("[torus]\nshape = [4, 0]", "line 2: shape must be"),
        ("[torus]\nshape = '70000x70000'", "line 2: more than 2147483648 nodes"),
        ("[torus]\nshape = '4x4'\nwrap = [true]", "line 3: wrap must be true, false, or a list of 2 of these"),
        ("[torus]\nshape = '4x4'\norder = [0, 0]", "line 3: order must contain each of the dimensions 0 to 1 once"),
        ("[torus]\nshape = '4x4'\ncolour = 1", "line 3: unknown field `colour`"),
        ("[torus]\nshape = '4x4'", "[nodes] is missing: write it"),
        ("[torus]\nshape = '4x4'\n[nodes]\nranks_per_node = 0", "line 4: ranks_per_node must be at least 1"),
        ("[torus]\nshape = '4x4'\n[nodes]", "line 3: [nodes] must have exactly one of hosts, ranks_per_node and ranks"),
        ("[torus]\nshape = '2'\n[nodes]\nhosts = ['a', 'b', 'c']", "line 4: more hosts than nodes: the network has 2"),
        ("[torus]\nshape = '2'\n[nodes]\nhosts = ['a', 'a']", "line 3: host 'a' is listed twice"),
        ("[torus]\nshape = '2'\n[nodes]\nranks = [\n[0],\n[0]]", "line 6: rank 0 is already on another node"),
        ("[torus]\nshape = '1'\n[nodes]\nranks = [0, 1]", "line 4: more lists of ranks than nodes"),
        ("[torus]\nshape = '1'\n[tree]\narity = [2]", "more than one network"),
        ("[tree]\narity = 'x'", "line 2: arity is the number of children of a switch"),
        ("[tree]\narity = 16\nlevels = 99", "line 3: levels must be a number from 1 to 32"),
        ("[tree]\narity = [4, 2]\nuplinks = [2, 2]", "line 3: uplinks is the number of links"),
        ("[tree]\narity = [4, 2]\nuplinks = 0", "line 3: uplinks is the number of links"),
        ("[tree]\narity = 16\nlevels = 32", "line 2: more than 2147483648 nodes"),
        ("[tree\narity = 1", "line 1: "),
        ("[[switch]]\nname = 'a'\nlinks = ['b']", "line 3: unknown switch 'b'"),
        ("[[switch]]\nname = 'a'", "no switch has hosts"),
        ("[[switch]]\nname = 'a'\n[[switch]]\nname = 'a'", "line 4: there are two switches 'a'"),
        ("[[switch]]\nname = 'a'\nhosts = ['x', 'y[']", "line 3: invalid list of hosts 'y['"),
        ("[[switch]]\nname = 'a'\nhosts = ['x', 'x']", "host 'x' is at two switches"),
        (
            "[[switch]]\nname = 'a'\nnodes = [0, 2]\n[nodes]\nranks_per_node = 1",
            "2 nodes are at switches, but not node 1",
        ),
        (
            "[[switch]]\nname = 'a'\nhosts = ['x']\n[nodes]\nranks_per_node = 1",
            "line 4: the switches already have hosts",
        ),
        (
            "[[switch]]\nname = 'a'\nhosts = ['x']\n[[switch]]\nname = 'b'\nhosts = ['y']",
            "line 5: there is no path from switch 'a' to 'b'",
        ),
    ];
    for (text, start) in said {
        let found = wrong(text);
        assert!(found.starts_with(start), "{text}\n  said: {found}\n  not:  {start}");
    }
}

/// A torus as switches with one node each: hops there are links plus one.
fn as_graph(t: &Torus) -> Switches {
    let nodes = t.nodes() as usize;
    let mut links = Vec::new();
    for node in 0..nodes as u64 {
        let mut stride = 1;
        for &d in &t.order {
            let (at, extent) = (t.coordinates(node)[d], u64::from(t.shape[d]));
            let first = node - u64::from(at) * stride;
            if u64::from(at) + 1 < extent {
                links.push((node as usize, (node + stride) as usize));
            } else if t.wrap[d] {
                links.push((node as usize, first as usize));
            }
            stride *= extent;
        }
    }
    Switches::new((0..nodes).map(|n| n.to_string()).collect(), &links, (0..nodes).collect()).unwrap()
}

fn any_torus() -> impl Strategy<Value = Torus> {
    let dimensions = proptest::collection::vec((1u32..6, any::<bool>()), 1..4);
    dimensions.prop_perturb(|dimensions, mut random| {
        let (shape, wrap): (Vec<u32>, Vec<bool>) = dimensions.into_iter().unzip();
        let mut order: Vec<usize> = (0..shape.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.random_range(0..=at));
        }
        Torus { shape, wrap, order }
    })
}

fn is_a_distance(hops: impl Fn(u64, u64) -> u32, nodes: u64, [a, b, c]: [u64; 3]) -> Result<(), TestCaseError> {
    let (a, b, c) = (a % nodes, b % nodes, c % nodes);
    prop_assert_eq!(hops(a, b), hops(b, a));
    prop_assert_eq!(hops(a, b) == 0, a == b);
    prop_assert!(hops(a, c) <= hops(a, b) + hops(b, c));
    Ok(())
}

proptest! {
    #[test]
    fn torus_distances(t in any_torus(), at: [u64; 3]) {
        is_a_distance(|a, b| t.hops(a, b), t.nodes(), at)?;
        let longest: u32 = t.shape.iter().zip(&t.wrap).map(|(&n, &ring)| if ring { n / 2 } else { n - 1 }).sum();
        let (a, b) = (at[0] % t.nodes(), at[1] % t.nodes());
        prop_assert!(t.hops(a, b) <= longest);
        // Found by walking the links.
        let walked = as_graph(&t).hops(a, b);
        prop_assert_eq!(t.hops(a, b), walked.saturating_sub(1));
        // The route has as many links, each from where the one before has led.
        let hops = t.hops(a, b);
        let (torus, map) = (t.clone(), super::nodes::NodeMap::RanksPerNode(1));
        let route = Topology { network: Network::Torus(t), map, hop_latency_ns: 0.0 }.route(a, b);
        prop_assert_eq!(route.len() as u32, hops);
        let end = route.iter().try_fold(a, |here, link| match *link {
            Link::Torus { from, dimension, grows } if from == here => Some(torus.next(from, dimension.into(), grows)),
            _ => None,
        });
        prop_assert_eq!(end, Some(b));
    }

    #[test]
    fn tree_distances(arity in proptest::collection::vec(1u32..6, 1..5), at: [u64; 3]) {
        let t = Tree { arity, uplinks: Vec::new() };
        is_a_distance(|a, b| t.hops(a, b), t.nodes(), at)?;
        let (a, b, hops) = (at[0] % t.nodes(), at[1] % t.nodes(), t.hops(at[0] % t.nodes(), at[1] % t.nodes()));
        let route = Topology { network: Network::Tree(t), map: super::nodes::NodeMap::RanksPerNode(1), hop_latency_ns: 0.0 }.route(a, b);
        prop_assert_eq!(route.len() as u32, hops.saturating_sub(1));
    }

    #[test]
    fn switch_distances(links in proptest::collection::vec((0usize..8, 0usize..8), 0..12), at: [u64; 3]) {
        // A chain holds them together.
        let links: Vec<_> = (1..8).map(|n| (n - 1, n)).chain(links).collect();
        let nodes = (0..16).map(|node| node / 2).collect();
        let t = Switches::new((0..8).map(|n| n.to_string()).collect(), &links, nodes).unwrap();
        is_a_distance(|a, b| t.hops(a, b), t.nodes(), at)?;
        let (a, b) = (at[0] % t.nodes(), at[1] % t.nodes());
        let path = t.path(a, b);
        prop_assert_eq!(path.len() as u32, t.hops(a, b).max(1));
        prop_assert!(path.windows(2).all(|pair| links.contains(&(pair[0], pair[1])) || links.contains(&(pair[1], pair[0]))));
    }

    #[test]
    fn any_text_is_taken_or_refused(text in "(\\[\\[?(torus|tree|switch|nodes)\\]\\]?\n|(shape|arity|hosts|ranks|nodes|levels) = ('[0-9a-z\\[,x-]{0,8}'|\\[[0-9, ]{0,6}\\]|[0-9]{1,12})\n){0,6}") {
        let _ = Topology::parse(&text);
    }
}
