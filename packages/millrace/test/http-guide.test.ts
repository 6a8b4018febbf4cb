import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeParameter, decodeQuery, decodeWith } from '../src/server/requests/decode-body.ts'
import type { Route } from '../src/server/routes/route.ts'
import { defaultProtocols } from '../src/protocols/registry/index.ts'
import { createProtocols } from '../src/server/protocols/protocols.ts'
import { allRoutes } from '../src/server/routes/routes.ts'

const routes = await allRoutes({ protocols: createProtocols(defaultProtocols()) })

const guide = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8')

interface Example {
  readonly method: string
  readonly target: string
  readonly body: string
  /** The response in the guide. */
  readonly answer: string | undefined
}

/** The requests of the guide, each with the JSON right after it. */
function readExamples(): Example[] {
  const after = '(?:\\s*^```json\\n(.*?)^```$)?'
  const http = new RegExp(`^\`\`\`http\\n(\\w+) (\\S+)\\n(.*?)^\`\`\`$${after}`, 'gms')
  const curl = new RegExp(`^\`\`\`sh\\ncurl (?:-N )?http://[^/]+(\\S+)(.*?)^\`\`\`$${after}`, 'gms')
  return [
    ...[...guide.matchAll(http)].map(([, method = '', target = '', body = '', answer]) => ({
      method,
      target,
      body,
      answer,
    })),
    ...[...guide.matchAll(curl)].map(([, target = '', body = '', answer]) => ({
      method: 'POST',
      target,
      body,
      answer,
    })),
  ]
}

const examples = readExamples()

function matchPath({ path }: Route, target: string): RegExpExecArray | null {
  const pattern = path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return new RegExp(`^${pattern}$`).exec(target.split('?')[0] ?? '')
}

const exampleOf = (route: Route): Example | undefined =>
  // A fixed path comes before the one that would match it as an id.
  examples.find(
    ({ method, target }) =>
      method === route.method &&
      routes.find((one) => one.method === method && matchPath(one, target)) === route,
  )

/** The fields of a form, as arguments of curl. */
function toForm(line: string): Record<string, unknown> {
  const pairs = [...line.matchAll(/-F (\w+)=(?:'([^']*)'|(\S+))/g)]
  const fields = pairs.filter(([, name]) => name !== 'files')
  return {
    ...Object.fromEntries(fields.map(([, name, quoted, plain]) => [name, quoted ?? plain])),
    files: pairs.filter(([, name]) => name === 'files').map(() => new File(['x'], 'x')),
  }
}

describe('docs/http.md describes the actual routes', () => {
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (name, route) => {
      expect(guide).toContain(`\`${name}\``)
      const example = exampleOf(route)
      if (example === undefined) throw new Error('There is no example.')
      const found = matchPath(route, example.target)?.groups ?? {}
      for (const [part, parameter] of Object.entries(route.parameters ?? {})) {
        expect(await decodeParameter(parameter, found[part] ?? '')).toBe(found[part])
      }
      const request = new Request(`http://localhost${example.target}`)
      if (route.query !== undefined) await decodeQuery(route.query, request)
      if (route.body !== undefined) {
        const isJson = route.body.type === 'application/json'
        const sent = isJson ? JSON.parse(example.body.split('\n\n')[1] ?? '') : toForm(example.body)
        await decodeWith(route.body.schema, sent)
      }
      const { content } = route.answer
      if (content === 'stream' || content === 'file' || name === 'GET /openapi.json') return
      await decodeWith(content, JSON.parse(example.answer ?? ''))
    },
  )

  test('every example belongs to a route', () => {
    const strays = examples.filter(
      (example) => !routes.some((route) => exampleOf(route) === example),
    )
    expect(strays).toEqual([])
    expect(examples).toHaveLength(routes.length)
  })
})
