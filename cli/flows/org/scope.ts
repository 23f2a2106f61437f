import { flag } from '../command-line.ts'
import type { Subject } from '../flow.ts'
import { organizationIdOf } from './organizations.ts'

/** The organization in which something is made. */
export interface OrganizationScope {
  /** Undefined leaves it to the service: the active one. */
  readonly organizationId: string | undefined
  /** How `--org` names it in a command. */
  readonly org?: string | undefined
}

/** The one that the run names by `--org`, else the active one. */
export const inOrganization: Subject<OrganizationScope> = {
  finder: async (ports) => {
    const organizationId = await organizationIdOf(await ports.signedIn(), ports.organization)
    return () => ({ organizationId, org: ports.organization })
  },
  words: ({ org }) => ({ flags: flag('org', org) }),
}
