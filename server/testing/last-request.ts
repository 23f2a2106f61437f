import type { TestService } from './service.ts'

/** What the last request of a service, or of a sibling of it, asked of the database. */
export interface LastRequest {
  trips: number
  /** The texts of its statements. */
  texts: readonly string[]
}

/** Notes in `last` what each request of the service and its siblings asks of the database. */
export function watchRequests(watched: TestService, last: LastRequest): TestService {
  const { app, trips, statements } = watched
  const makeSibling = watched.sibling.bind(watched)
  const send = app.request.bind(app)
  app.request = async (...request) => {
    const [tripsBefore, textsBefore] = [trips.count, statements.list.length]
    const reply = await send(...request)
    last.trips = trips.count - tripsBefore
    last.texts = statements.list.slice(textsBefore)
    return reply
  }
  const sibling = async (...settings: Parameters<typeof makeSibling>) =>
    watchRequests(await makeSibling(...settings), last)
  return Object.assign(watched, { sibling } as Pick<TestService, 'sibling'>)
}
