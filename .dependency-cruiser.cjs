/** The rules of the house. Each was broken on purpose once and reported. */
const libs = [
  'contract',
  'domain',
  'pace',
  'failpoints',
  'egress',
  'persistence',
  'messaging',
  'pdf',
  'storage',
  'process',
  'client',
  'receiver',
];

/** What each library may see of the others. */
const sees = {
  domain: [],
  pace: [],
  failpoints: [],
  storage: [],
  pdf: ['domain'],
  contract: ['domain'],
  egress: ['domain'],
  persistence: ['domain', 'pace'],
  messaging: ['domain', 'pace'],
  client: [],
  receiver: [],
  process: ['contract', 'pace', 'failpoints', 'persistence', 'messaging'],
};

/** What each room of these folders may see of the others there; the files beside them see all, and no room sees those. */
const rooms = {
  'apps/api/src': {
    http: [],
    'field-problems': [],
    reencrypt: [],
    describe: ['http'],
    'download-output': ['http'],
    'rate-limit': ['http'],
    'read-batch': ['http'],
    'read-events': ['http'],
    'read-job': ['http'],
    'read-usage': ['http'],
    'receive-upload': ['http'],
    idempotency: ['http', 'rate-limit'],
    'around-routes': ['http', 'idempotency'],
    'answer-when-ended': ['http', 'idempotency'],
    'cancel-job': ['http', 'idempotency'],
    'manage-api-keys': ['http', 'idempotency'],
    'recover-endpoint': ['http', 'idempotency'],
    'read-deliveries': ['answer-when-ended', 'http'],
    redeliver: ['http', 'idempotency', 'read-deliveries'],
    'manage-endpoints': ['answer-when-ended', 'http', 'idempotency', 'read-deliveries'],
    'upload-file': ['http', 'idempotency', 'receive-upload'],
    'admit-job': [
      'answer-when-ended',
      'download-output',
      'field-problems',
      'http',
      'idempotency',
      'receive-upload',
      'upload-file',
    ],
    'admit-batch': ['admit-job', 'answer-when-ended', 'field-problems', 'http', 'idempotency'],
    cli: ['describe', 'manage-api-keys', 'reencrypt'],
  },
  'libs/pdf/src/document': {
    objects: [],
    'page-tree': [],
    trees: ['objects'],
    failure: ['objects'],
    open: ['failure', 'objects', 'page-tree'],
    write: ['failure'],
  },
  'libs/pdf/src/pool': { confinement: [], proc: [] },
};

const only = (name, packages, from) => ({
  name,
  severity: 'error',
  comment: `only ${from} sees ${packages}`,
  from: { path: '^(apps|libs)/', pathNot: [`^${from}`, '\\.spec\\.ts$'] },
  to: { path: `node_modules/(${packages})/` },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'a type that a lazily loaded file takes from its declaration is no cycle at run time',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('only-persistence-sees-postgres', 'pg|typeorm', 'libs/persistence/'),
    only('only-messaging-sees-kafka', 'kafkajs', 'libs/messaging/'),
    only('only-pdf-sees-pdf-lib', 'pdf-lib', 'libs/pdf/'),
    only('only-egress-and-the-sender-see-undici', 'undici', '(libs/egress|apps/dispatcher/src/send-request)/'),
    {
      name: 'apps-never-see-apps',
      severity: 'error',
      comment: 'standalone composes the other apps; nobody else imports one',
      from: { path: '^apps/(api|worker|dispatcher)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'libraries-never-see-apps-or-tests',
      severity: 'error',
      from: { path: '^libs/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(apps|test)/' },
    },
    {
      name: 'nothing-sees-tests',
      severity: 'error',
      from: { path: '^apps/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/' },
    },
    {
      name: 'libraries-by-their-index',
      severity: 'error',
      from: { path: '^apps/' },
      to: { path: '^libs/', pathNot: '^libs/[^/]+/src/index\\.ts$' },
    },
    {
      name: 'other-libraries-by-their-index',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', '^libs/[^/]+/src/index\\.ts$'] },
    },
    {
      name: 'never-its-own-index',
      severity: 'error',
      from: { path: '^libs/([^/]+)/src/(?!index\\.ts)', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/$1/src/index\\.ts$' },
    },
    ...libs.map((lib) => ({
      name: `${lib}-sees-${sees[lib].join('-and-') || 'no-library'}`,
      severity: 'error',
      from: { path: `^libs/${lib}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `^libs/(${libs.filter((other) => other !== lib && !sees[lib].includes(other)).join('|')})/` },
    })),
    ...Object.entries(rooms).flatMap(([folder, seenBy]) =>
      Object.entries(seenBy).map(([room, seen]) => ({
        name: `${room}-sees-${seen.join('-and-') || 'no-other-room'}`,
        severity: 'error',
        from: { path: `^${folder}/${room}/`, pathNot: '\\.spec\\.ts$' },
        to: { path: `^${folder}/(?!(${[room, ...seen].join('|')})/)` },
      })),
    ),
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment: 'node:crypto and small pure packages only',
      from: { path: '^libs/domain/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        path: '^(apps|libs)/',
        pathNot: '\\.spec\\.ts$|main\\.ts$|/cli/|print-schema\\.ts$|\\.d\\.ts$',
      },
      to: {},
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: { path: '^(apps|libs|test)/', pathNot: '^test/run\\.mjs$' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
