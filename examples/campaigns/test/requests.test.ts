// Together on one database, which takes seconds to make.
import './behaviour/outcomes.ts'
import './behaviour/approvals.ts'
import './behaviour/lists.ts'
import './behaviour/hostile-input.ts'
import './behaviour/model.ts'
