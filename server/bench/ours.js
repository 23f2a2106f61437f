// The service as it is shipped, embedded or not as DATABASE_URL says.
import { createLog, loadConfig, startService } from '../../dist/server/main.js'
import { report } from './child.js'

const config = await loadConfig()
const service = await startService(config, await createLog(config))
report(service.url)
