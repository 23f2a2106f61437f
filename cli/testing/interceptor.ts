import type { App } from '../../server/app.ts'

type Fetch = (...asked: Parameters<App['fetch']>) => Promise<Response>

/** An answer that is kept back. */
export interface Held {
  /** The service has answered, and nobody has heard it yet. */
  readonly answered: Promise<void>
  readonly release: () => void
}

/** Answers a question in the service's place; `ask` asks the service. */
export type Relay = (call: string, request: Request, ask: () => Promise<Response>) => Promise<Response>

/** Stands between a socket and the service behind it: writes down what is asked, and can keep an answer back, or give another. */
export class Interceptor {
  /** Every question goes through here. */
  relay: Relay = (_call, _request, ask) => ask()
  readonly #fetch: App['fetch']
  readonly #base: string
  readonly #asked: string[]
  readonly #held = new Map<string, () => Promise<void>>()
  readonly #replaced = new Map<string, Response>()

  constructor(fetch: App['fetch'], base: string, asked: string[]) {
    this.#fetch = fetch
    this.#base = base
    this.#asked = asked
  }

  readonly fetch: Fetch = async (request, ...rest) => {
    const call = `${request.method} ${new URL(request.url).pathname.replace(this.#base, '')}`
    this.#asked.push(call)
    const keepBack = this.#held.get(call)
    this.#held.delete(call)
    const replaced = this.#replaced.get(call)
    this.#replaced.delete(call)
    if (replaced) return replaced
    const answer = await this.relay(call, request, async () => this.#fetch(request, ...rest))
    await keepBack?.()
    return answer
  }

  /** The next question of that call is answered so, and the service does not hear it. */
  replace(call: string, answer: Response): void {
    this.#replaced.set(call, answer)
  }

  /** Keeps the next answer to that call back; what happens meanwhile overtakes it. */
  hold(call: string): Held {
    const [answered, released] = [latch(), latch()]
    this.#held.set(call, () => {
      answered.open()
      return released.opened
    })
    return { answered: answered.opened, release: released.open }
  }
}

function latch() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
