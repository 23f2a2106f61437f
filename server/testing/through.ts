import type { TestService } from './service.ts'
import type { Reply, Visitor } from './visitor.ts'

/** Makes the request, with more fields in the body if it has one. */
type Ask = (more?: object) => Promise<Reply>
/** What happens around each request. */
export type Pass = (path: string, ask: Ask) => Promise<Reply>

/** The same service; each request of its visitors goes through `pass`. */
export function through(service: TestService, pass: Pass): TestService {
  const wrap = <V extends Visitor>(visitor: V): V => ({
    ...visitor,
    get: (path, headers) => pass(path, () => visitor.get(path, headers)),
    post: (path, body, headers) => pass(path, (more) => visitor.post(path, { ...more, ...Object(body) }, headers)),
  })
  return {
    ...service,
    visitor: (address) => wrap(service.visitor(address)),
    person: async (fields) => wrap(await service.person(fields)),
    sibling: async (settings) => through(await service.sibling(settings), pass),
  }
}
