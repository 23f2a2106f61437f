import type { SessionView } from '../../../shared/entities.ts'
import type { TuiConnection } from '../ports.ts'

/** Whether a person may administer: asked once as long as neither the session nor the roles change. */
export class Administration {
  #asked: { readonly about: string; readonly answer: Promise<boolean> } | undefined

  /** Where it is not to be had, nothing is offered. */
  isFor(api: TuiConnection['api'], { session, user }: SessionView): Promise<boolean> {
    const about = `${session.id} ${user.role?.join(',')}`
    if (this.#asked?.about !== about) {
      const permissions = { user: ['list'] }
      const answer = api.admin.hasPlatformPermission({ permissions }).then(({ success }) => success)
      this.#asked = { about, answer: answer.catch(() => false) }
    }
    return this.#asked.answer
  }
}
