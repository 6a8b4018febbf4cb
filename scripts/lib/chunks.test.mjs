import { expect, test } from 'vitest'
import { innerNames, toGroups } from './chunks.mjs'

const path = (name) => `/m/src/${name}.ts`
const module = (renderedExports, renderedLength = 1) => ({ renderedExports, renderedLength })

const chunks = [
  {
    fileName: 'client/index.js',
    isEntry: true,
    facadeModuleId: path('public/client'),
    exports: ['openPage'],
    imports: ['chunks/a.js', 'react'],
    modules: { [path('client/open-page')]: module(['openPage']) },
  },
  {
    fileName: 'chunks/a.js',
    exports: ['fail', 'ask', 'decode'],
    imports: [],
    modules: {
      [path('errors/fail')]: module(['fail']),
      [path('client/ask')]: module(['ask']),
      [path('client/transcript/reduce')]: module(['reduce']),
      [path('events/decode')]: module(['decode']),
      [path('events/index')]: module([], 0),
    },
  },
  {
    fileName: 'server/index.js',
    isEntry: true,
    facadeModuleId: path('public/server'),
    exports: ['serve', 'statusOf'],
    imports: [],
    modules: {
      [path('server/serve')]: module(['serve']),
      [path('server/status')]: module(['statusOf']),
    },
  },
]
const own = new Map([
  [path('public/client'), ['openPage']],
  [path('public/server'), ['serve']],
])

test('shared modules of a page are three chunks, and those for code that is loaded later are one', () => {
  const groups = toGroups(chunks, own)
  const ids = chunks.flatMap(({ modules }) => Object.keys(modules))
  const chunkOf = (id) => groups.find(({ test: matches }) => matches(id))?.name
  expect(Object.fromEntries(ids.map((id) => [id, chunkOf(id)]))).toEqual({
    [path('client/open-page')]: undefined,
    [path('errors/fail')]: 'foundations',
    [path('client/ask')]: 'page-requests',
    [path('client/transcript/reduce')]: 'page-reading',
    [path('events/decode')]: 'page-reading',
    [path('events/index')]: undefined,
    [path('server/serve')]: undefined,
    [path('server/status')]: 'shared',
  })
})

test('names that an entry exports beyond its source are found', () => {
  expect(chunks.filter(({ isEntry }) => isEntry).map((chunk) => innerNames(chunk, own))).toEqual([
    [],
    ['statusOf'],
  ])
})
