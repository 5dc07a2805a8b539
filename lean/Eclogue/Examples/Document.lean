prelude
import Eclogue.Core.Document
/-! The document of a program with every kind of term, by evaluation: the bytes that any implementation has to write. -/
set_option maxRecDepth 1000000
namespace Eclogue.Examples

/-- A schema with a required and an optional field. -/
noncomputable def payload : Schema := .record (.cons (word "p") true .text (.cons (word "q") false (.list .int) .nil))
/-- A program with two operations; the first operation is `fs.write`. -/
noncomputable def documented : Program where
  operations := .cons ⟨word "fs.write", ⟨payload, .null⟩, .reversible⟩
    (.cons ⟨word "model.call", ⟨.any, .literal (record1 (word "$k") (.int (.ofNat 1)))⟩, .irreversible⟩ .nil)
  body := .handle
    (.let
      (.let
        (.perform 0 (.check payload (.record (.cons (word "p") (.literal (.text (word "é\"\n")))
          (.cons (word "q") (.list (.cons (.variable 0) (.cons (.literal (.int (.negSucc 2))) .nil))) .nil)))))
        (.return (.check .null (.variable 0))))
      (.if (.not (.binary .le (.variable 0) (.literal (.bool true))))
        (.return (.project (.variable 0) (word "k")))
        (.let (.return (.literal (.int (.ofNat 1152921504606846976)))) (.return (.variable 1)))))
    (.return (.variable 0))
    (.cons 1 (.let (.return (.literal .null)) (.if (.variable 0) (.answer (.variable 1)) (.resume (.variable 0) (.return (.variable 0)))))
      (.cons 0 (.abort (.literal (.list .nil))) .nil))
/-- Its document as text. -/
def documentText : String :=
  "{\"body\":{\"clauses\":[{\"body\":{\"seq\":[{\"return\":{\"lit\":null}},{\"else\":{\"resume\":{\"var\":0},\"then\
    \":{\"return\":{\"var\":0}}},\"if\":{\"var\":0},\"then\":{\"answer\":{\"var\":1}}}]},\"operation\":\"model.call\
    \"},{\"body\":{\"abort\":{\"lit\":[]}},\"operation\":\"fs.write\"}],\"handle\":{\"seq\":[{\"seq\":[{\"payload\":\
    {\"check\":{\"record\":[[\"p\",true,\"text\"],[\"q\",false,{\"list\":\"int\"}]]},\"of\":{\"record\":[[\"p\",{\"l\
    it\":\"é\\\"\\n\"}],[\"q\",{\"list\":[{\"var\":0},{\"lit\":-3}]}]]}},\"perform\":\"fs.write\"},{\"return\":{\"ch\
    eck\":\"null\",\"of\":{\"var\":0}}}]},{\"else\":{\"seq\":[{\"return\":{\"lit\":{\"$int\":\"1152921504606846976\"\
    }}},{\"return\":{\"var\":1}}]},\"if\":{\"not\":{\"left\":{\"var\":0},\"op\":\"<=\",\"right\":{\"lit\":true}}},\"\
    then\":{\"return\":{\"get\":{\"var\":0},\"key\":\"k\"}}}]},\"return\":{\"return\":{\"var\":0}}},\"format\":\"ecl\
    ogue-core/1\",\"operations\":[{\"name\":\"fs.write\",\"payload\":{\"record\":[[\"p\",true,\"text\"],[\"q\",false\
    ,{\"list\":\"int\"}]]},\"result\":\"null\",\"tier\":\"reversible\"},{\"name\":\"model.call\",\"payload\":\"any\"\
    ,\"result\":{\"lit\":{\"$$k\":1}},\"tier\":\"irreversible\"}]}"
example : Eq documented.canonicalBytes (utf8 (map Char.toNat documentText.toList)) := rfl
example : Eq documented.declared true := rfl
example : Eq documented.document.proper true := rfl
end Eclogue.Examples
