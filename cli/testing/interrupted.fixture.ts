// Gets a signal while it does what never ends, or after that.
import { interruptible } from '../process/interruptible.ts'

const [when, signal = 'SIGINT'] = process.argv.slice(2)
const interrupt = () => process.kill(process.pid, signal)
process.once(signal, () => process.exit(0))
interruptible(() => {
  if (when === 'during') interrupt()
  while (when === 'during');
})
interrupt()
setInterval(() => {}, 1000)
