/** Import boundaries: which folder may import which. A run that checked no file fails too. */
const test = '\\.(test|fixture)\\.tsx?$'
const wall = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })
const shipped = (path) => ({ path, pathNot: [test, '/testing/'] })

module.exports = {
  forbidden: [
    wall('no-cycles', {}, { circular: true }, 'A cycle has no inside and no outside.'),
    wall(
      'no-unresolved',
      { pathNot: 'server/bench' },
      { couldNotResolve: true },
      'An import that resolves to nothing.',
    ),
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
      'Routes know no SQL.',
    ),
    wall(
      'domain',
      shipped('^server/domain/'),
      { path: ['^server/(http|routes|pages)/', 'node_modules/hono/'] },
      'Use cases know no HTTP.',
    ),
    wall(
      'db',
      shipped('^server/db/'),
      { path: ['^server/(domain|http|routes|pages)/', 'node_modules/hono/'] },
      'SQL knows no rules.',
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
      'Leaves know their library only.',
    ),
    wall(
      'records',
      shipped('^server/providers/'),
      {
        path: ['^server/(settings|http|pages|process|outbox|embedded|deps|config)', 'node_modules/(hono|postgres)/'],
        dependencyTypesNot: ['type-only'],
      },
      'Providers know OAuth and their own quirks: no SQL, no HTTP of ours.',
    ),
    wall(
      'rooms-below',
      shipped('^server/(settings|request|limits)/'),
      { path: '^server/(db|domain|http|routes|pages|process|outbox)/' },
      'Settings, requests and limits know nothing above them.',
    ),
    wall(
      'http',
      shipped('^server/(http|pages)/'),
      { path: '^server/(db|domain|routes)/' },
      'The edge knows no tables and no rules.',
    ),
    wall(
      'embedded-alone',
      shipped('^server/embedded/'),
      { path: '^server/(?!embedded/)' },
      'The embedded database could leave the house whole.',
    ),
    wall(
      'cli-server',
      shipped('^cli/(?!local/)'),
      { path: '^server/' },
      'The command line is a client; cli/local alone starts a service.',
    ),
    wall('server-cli', { path: '^server/' }, { path: '^cli/' }, 'The service knows no terminal.'),
    wall(
      'flows',
      shipped('^cli/flows/'),
      { path: ['^cli/(commands|tui|prompt)/', '^cli/context', '^server/', 'node_modules/(commander|ink|react)/'] },
      'A flow is told once, for commands and screens alike: it knows neither.',
    ),
    wall(
      'flows-output',
      shipped('^cli/flows/'),
      {
        path: '^cli/output/(?!(cli-error|error-report|filter|hints|shell-line|time|words)\\.ts$)',
        dependencyTypesNot: ['type-only'],
      },
      'A flow has words for what happened, and knows neither the page nor who reads it.',
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
      'Screens know calls, not transports.',
    ),
    wall(
      'components',
      shipped('^cli/tui/components/'),
      { path: ['^cli/context', '^shared/contract', '^cli/tui/screens'] },
      'Components know no API.',
    ),
    wall(
      'tui-rooms',
      shipped('^cli/tui/(terminal|keys|forms|text|state)/'),
      { path: '^cli/tui/(screens|components|hooks|accessible|main|app)' },
      'What screens and conversations are made from knows neither.',
    ),
    wall(
      'accessible',
      shipped('^cli/tui/accessible/'),
      { path: ['^cli/tui/(screens|components|hooks)/', 'node_modules/(ink|react)/'] },
      'The conversation is told in lines: nothing of it is painted.',
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
