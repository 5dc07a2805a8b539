# A release: two steps that can be undone, then one that cannot, for which somebody must say yes.

effect kv { compensable ctl put(key: Text, value: Text): {had: Bool, before: Text} }
effect mail { irreversible ctl send(to: Text, text: Text): Unit }

task main(version: Text): Text / {kv, mail} {
  perform kv.put("latest", version);
  perform kv.put("released/" ++ version, "yes");
  perform mail.send("everyone@example.org", "released " ++ version);
  return "released " ++ version
}
