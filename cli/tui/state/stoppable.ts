import type { FlowContext } from '../../flows/flow-context.ts'

/** The calls of a form, which the user can stop before the next one begins. Actions behind the form go on. */
export class Stoppable {
  #isSeveral = false
  #isStopped = false

  /** The context for what the form sends now. */
  begin(context: FlowContext): FlowContext {
    this.#isSeveral = false
    this.#isStopped = false
    const progress = (done: number, total: number) => {
      this.#isSeveral = true
      context.progress?.(done, total)
    }
    return { ...context, progress, isStopped: () => this.#isStopped }
  }

  /** Returns false while only one call is made. */
  stop(): boolean {
    this.#isStopped = this.#isSeveral
    return this.#isStopped
  }
}
