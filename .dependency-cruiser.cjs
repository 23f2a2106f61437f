/** Import boundaries: which folder may import which. A run that checked no file fails too. */
const test = '\\.(test|fixture)\\.tsx?$'
const wall = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })
const shipped = (path) => ({ path, pathNot: [test, '/testing/'] })

module.exports = {
  forbidden: [
    wall('no-cycles', {}, { circular: true }, 'Import cycles are not allowed.'),
    wall('no-unresolved', { pathNot: 'server/bench' }, { couldNotResolve: true }, 'Every import has to resolve.'),
    wall(
      'shared-alone',
      shipped('^shared/'),
      { pathNot: ['^shared/', 'node_modules/zod/'] },
      'shared imports zod and itself.',
    ),
    wall(
      'routes',
      shipped('^server/routes/'),
      { path: ['^server/(db|embedded)/', 'node_modules/postgres/'] },
      'Routes contain no SQL.',
    ),
    wall(
      'domain',
      shipped('^server/domain/'),
      { path: ['^server/(http|routes|pages)/', 'node_modules/hono/'] },
      'Use cases do not depend on HTTP.',
    ),
    wall(
      'db',
      shipped('^server/db/'),
      { path: ['^server/(domain|http|routes|pages)/', 'node_modules/hono/'] },
      'SQL contains no business rules.',
    ),
    wall(
      'sql-in-db',
      shipped('^server/(?!db/|embedded/|testing/|bench/)'),
      { path: 'node_modules/postgres/', dependencyTypesNot: ['type-only'] },
      'Only server/db talks to PostgreSQL.',
    ),
    wall(
      'libraries',
      shipped('^server/(crypto|mail|providers)/'),
      { path: '^server/(db|domain|http|routes)/' },
      'crypto, mail and providers depend only on their libraries.',
    ),
    wall(
      'records',
      shipped('^server/providers/'),
      {
        path: ['^server/(settings|http|pages|process|outbox|embedded|deps|config)', 'node_modules/(hono|postgres)/'],
        dependencyTypesNot: ['type-only'],
      },
      'Providers contain OAuth and their own quirks, no SQL and none of our HTTP layer.',
    ),
    wall(
      'rooms-below',
      shipped('^server/(settings|request|limits|memory)/'),
      { path: '^server/(db|domain|http|routes|pages|process|outbox)/' },
      'Settings, requests, limits and memory do not depend on the layers above them.',
    ),
    wall(
      'http',
      shipped('^server/(http|pages)/'),
      { path: '^server/(db|domain|routes)/' },
      'The HTTP layer contains no SQL and no business rules.',
    ),
    wall(
      'embedded-alone',
      shipped('^server/embedded/'),
      { path: '^server/(?!embedded/)' },
      'The embedded database depends on nothing else, so it could be a package of its own.',
    ),
    wall(
      'cli-server',
      shipped('^cli/(?!local/)'),
      { path: '^server/' },
      'The command line is a client; only cli/local starts a service.',
    ),
    wall('server-cli', { path: '^server/' }, { path: '^cli/' }, 'The service does not depend on the command line.'),
    wall(
      'flows',
      shipped('^cli/flows/'),
      { path: ['^cli/(commands|tui|prompt)/', '^cli/context', '^server/', 'node_modules/(commander|ink|react)/'] },
      'A flow serves both commands and screens, so it depends on neither.',
    ),
    wall(
      'flows-output',
      shipped('^cli/flows/'),
      {
        path: '^cli/output/(?!(cli-error|error-report|escape-controls|hints|shell-line|time|words)\\.ts$)',
        dependencyTypesNot: ['type-only'],
      },
      'A flow describes what happened and does not depend on how it is shown.',
    ),
    wall(
      'commands',
      shipped('^cli/commands/'),
      { path: '^cli/tui/', dependencyTypesNot: ['dynamic-import'] },
      'React loads behind one lazy import.',
    ),
    wall(
      'screens',
      shipped('^cli/tui/screens/'),
      { path: ['^cli/commands/', '^cli/client/(?!client\\.ts)'], dependencyTypesNot: ['type-only'] },
      'Screens depend on calls, not on transports.',
    ),
    wall(
      'components',
      shipped('^cli/tui/components/'),
      { path: ['^cli/context', '^shared/contract', '^cli/tui/screens'] },
      'Components do not depend on the API.',
    ),
    wall(
      'tui-rooms',
      shipped('^cli/tui/(terminal|keymap|forms|text|state|search)/'),
      { path: '^cli/tui/(screens|components|hooks|accessible|main|app)' },
      'The building blocks of screens and of the accessible mode depend on neither.',
    ),
    wall(
      'accessible',
      shipped('^cli/tui/accessible/'),
      { path: ['^cli/tui/(screens|components|hooks)/', 'node_modules/(ink|react)/'] },
      'The accessible mode prints lines and never uses Ink or React.',
    ),
    wall(
      'testing',
      { pathNot: [test, '/testing/', '^server/bench/', '\\.config\\.ts$', '^cli/demo'] },
      { path: '/testing/' },
      'Shipped code never imports its tests.',
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: ['^dist/', '^server/bench/node_modules/'] },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js'],
    },
  },
}
