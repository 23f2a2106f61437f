import { EventEmitter, once } from 'node:events'

/** What is to go on only while it is open, such as while somebody looks, waits here. */
export class Gate {
  #isOpen = true
  readonly #turns = new EventEmitter()

  set(isOpen: boolean): void {
    this.#isOpen = isOpen
    if (isOpen) this.#turns.emit('open')
  }

  /** At once while it is open, else when it is again. Rejects when the signal is aborted. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    while (!this.#isOpen) await once(this.#turns, 'open', { signal })
  }
}
