import type { FlowContext } from '../../flows/flow-context.ts'

/** Calls for several, of which the user can let no more begin. */
export class Stoppable {
  #isSeveral = false
  #isStopped = false

  /** The context for what is sent now. */
  begin(context: FlowContext): FlowContext {
    this.#isSeveral = false
    this.#isStopped = false
    const progress = (done: number, total: number) => {
      this.#isSeveral = true
      context.progress?.(done, total)
    }
    return { ...context, progress, isStopped: () => this.#isStopped }
  }

  /** Returns false while only one call is made, and when it is stopped already. */
  stop(): boolean {
    const isNew = this.#isSeveral && !this.#isStopped
    this.#isStopped ||= isNew
    return isNew
  }
}
