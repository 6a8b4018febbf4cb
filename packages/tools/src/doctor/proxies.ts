interface ProxyTraits {
  readonly name: string
  /** Its marks on responses. */
  readonly answers: readonly { readonly header: string; readonly value?: RegExp }[]
  /** Headers that it adds to requests, whose names a server reports. */
  readonly requests: readonly string[]
}

/** The proxies with fixes, and their marks. */
export const proxies = {
  nginx: {
    name: 'nginx',
    answers: [{ header: 'server', value: /^(nginx|openresty)/i }],
    requests: [],
  },
  caddy: {
    name: 'Caddy',
    answers: [
      { header: 'server', value: /^caddy/i },
      { header: 'via', value: /\bcaddy\b/i },
    ],
    requests: [],
  },
  cloudflare: {
    name: 'Cloudflare',
    answers: [{ header: 'cf-ray' }, { header: 'server', value: /^cloudflare/i }],
    requests: ['cf-ray'],
  },
  vercel: {
    name: 'Vercel',
    answers: [{ header: 'x-vercel-id' }, { header: 'server', value: /^vercel/i }],
    requests: ['x-vercel-id'],
  },
  alb: {
    name: 'AWS ALB',
    answers: [{ header: 'server', value: /^awselb/i }],
    requests: ['x-amzn-trace-id'],
  },
} as const satisfies Record<string, ProxyTraits>

/** A proxy by its key in the table. */
export type ProxyName = keyof typeof proxies

/** Recognises proxies by the headers of a response, and of its request. */
export function recognizeProxies(
  headers: Readonly<Record<string, string>>,
  forwarded: readonly string[] = [],
): readonly ProxyName[] {
  const rows = Object.entries<ProxyTraits>(proxies)
  const found = rows.filter(
    ([, { answers, requests }]) =>
      answers.some(({ header, value = /./ }) => value.test(headers[header] ?? '')) ||
      requests.some((header) => forwarded.includes(header)),
  )
  return found.map(([name]) => name as ProxyName)
}
