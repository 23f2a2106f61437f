/** The commands as people think of them, in the order in which they meet them: the order of the help. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  'Get started': ['sign-up', 'sign-in', 'tui'],
  You: ['whoami', 'account', 'session', 'auth', 'sign-out'],
  Organizations: ['org', 'member', 'invitation', 'team', 'role'],
  Machines: ['key', 'api'],
  Service: ['serve', 'wait', 'migrate', 'dev', 'admin'],
  'This tool': ['doctor', 'profile', 'config', 'completion', 'commands', 'schema', 'version', 'help'],
}

/** Looked for by those who know that it is there: by name alone. */
export const namesOnly = 'This tool'
