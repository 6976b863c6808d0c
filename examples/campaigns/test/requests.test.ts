// One shared database, because creating one takes seconds.
import './behaviour/outcomes.ts'
import './behaviour/approvals.ts'
import './behaviour/lists.ts'
import './behaviour/hostile-input.ts'
import './behaviour/model.ts'
