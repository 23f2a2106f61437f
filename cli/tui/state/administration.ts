import type { SessionView } from '../../../shared/entities.ts'
import type { TuiConnection } from '../ports.ts'
import { isRefusal, toShownError } from '../text/shown-error.ts'

/** Whether a person may administer: answered once as long as neither the session nor the roles change. */
export class Administration {
  #asked: { readonly about: string; readonly answer: Promise<boolean> } | undefined

  /** Where it is not to be had, nothing is offered; where nobody could say, it is asked again the next time. */
  isFor(api: TuiConnection['api'], { session, user }: SessionView): Promise<boolean> {
    const about = `${session.id} ${user.role?.join(',')}`
    if (this.#asked?.about !== about) this.#asked = { about, answer: this.#ask(api, about) }
    return this.#asked.answer
  }

  async #ask(api: TuiConnection['api'], about: string): Promise<boolean> {
    try {
      return (await api.admin.hasPlatformPermission({ permissions: { user: ['list'] } })).success
    } catch (error) {
      if (!isRefusal(toShownError(error)) && this.#asked?.about === about) this.#asked = undefined
      return false
    }
  }
}
