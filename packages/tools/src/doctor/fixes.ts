import type { ProxyName } from './proxies.ts'

/** How to mend something in one place. */
export interface Fix {
  readonly say: string
  /** What to write there, or to run. */
  readonly code?: string
}

/** Where something can be mended: at a proxy, or at the Millrace server itself. */
export type FixPlace = ProxyName | 'millrace'

/** How each thing is mended, where it can be; `ORIGIN` and `HOST` stand for those of the person who asks. */
export const fixes = {
  buffering: {
    nginx: {
      say: 'In the `location` of the API, and without `proxy_ignore_headers X-Accel-Buffering`:',
      code: 'proxy_buffering off;\nproxy_http_version 1.1;\nproxy_set_header Connection "";',
    },
    caddy: {
      say: 'Pass on at once whatever comes:',
      code: 'reverse_proxy 127.0.0.1:8787 {\n    flush_interval -1\n}',
    },
    cloudflare: {
      say: 'It collects what it may cache: add a Cache Rule for these paths, Bypass cache, and leave Network, Response Buffering off. A Worker must return `response.body`, never `await response.text()`.',
    },
    vercel: {
      say: 'Return the answer of the handler itself from a Route Handler, and never wait for its text:',
      code: 'export const dynamic = "force-dynamic"\nexport const GET = (request: Request) => handler.fetch(request)\nexport const POST = GET',
    },
    alb: {
      say: 'A load balancer collects what a Lambda target answers; register instances, addresses or containers as targets instead:',
      code: 'aws elbv2 create-target-group --name millrace --target-type ip --protocol HTTP --port 8787 --vpc-id VPC',
    },
  },
  compression: {
    nginx: {
      say: 'In the `location` of the API, or take `text/event-stream` (and `*`) out of `gzip_types` and `brotli_types`:',
      code: 'gzip off;',
    },
    caddy: {
      say: 'Compress nothing that streams:',
      code: '@whole not path /agent/* /doctor/* /ai-sdk/* /ag-ui*\nencode @whole zstd gzip',
    },
    cloudflare: {
      say: 'Leave `cache-control: no-transform` on the answers, or add a Compression Rule for these paths that disables compression.',
    },
    vercel: {
      say: 'Leave `cache-control: no-transform` on the answers; Next.js compresses by itself, unless next.config.js says:',
      code: 'module.exports = { compress: false }',
    },
  },
  idle: {
    millrace: {
      say: 'Send comments more often than the proxy loses patience, in the options of `createHandler`:',
      code: 'heartbeatMs: 5_000',
    },
    nginx: {
      say: 'It waits for 60 s; in the `location` of the API:',
      code: 'proxy_read_timeout 1h;',
    },
    caddy: {
      say: 'It waits without end unless told otherwise; take `read_timeout` and `write_timeout` out of the transport, and `write` out of `servers { timeouts }`.',
    },
    cloudflare: {
      say: 'It waits for 100 s, and only an Enterprise zone may change that: rely on heartbeats, and see that no server or proxy behind it swallows them.',
    },
    vercel: {
      say: 'A function ends after its `maxDuration`, whatever it sends; raise it in vercel.json, as far as your plan allows:',
      code: '{ "functions": { "app/**/route.ts": { "maxDuration": 800 } } }',
    },
    alb: {
      say: 'It waits for 60 s:',
      code: 'aws elbv2 modify-load-balancer-attributes --load-balancer-arn ARN \\\n    --attributes Key=idle_timeout.timeout_seconds,Value=300',
    },
  },
  duration: {
    nginx: {
      say: 'Look for `proxy_read_timeout`, and for a limit on connections in front of or behind it.',
    },
    caddy: {
      say: 'Take `write` out of `servers { timeouts }`, and `write_timeout` out of the transport.',
    },
    vercel: {
      say: 'A function ends after its `maxDuration`; raise it in vercel.json, as far as your plan allows:',
      code: '{ "functions": { "app/**/route.ts": { "maxDuration": 800 } } }',
    },
    alb: {
      say: 'It has no limit on a whole answer; look at the deregistration delay of the target group, and at what stands behind it.',
    },
  },
  requestHeaders: {
    nginx: {
      say: 'In the `location` of the API, and without `proxy_pass_request_headers off`:',
      code: 'proxy_set_header Authorization $http_authorization;\nproxy_set_header Last-Event-ID $http_last_event_id;\nproxy_set_header Accept $http_accept;',
    },
    caddy: {
      say: 'Take `header_up -Authorization`, `header_up -Last-Event-ID` and the like out of `reverse_proxy`.',
    },
    cloudflare: {
      say: 'Look for a Transform Rule that removes request headers, and for a Worker that makes its own request: pass `request.headers` on.',
    },
    vercel: {
      say: 'A middleware or a route that calls the server must pass the headers on:',
      code: 'fetch(url, { headers: request.headers })',
    },
    alb: {
      say: 'It takes none of these away; look at what stands before and behind it. A listener with `authenticate-oidc` sends users to log in instead.',
    },
  },
  answerHeaders: {
    nginx: {
      say: 'Remove `expires`, `add_header Cache-Control` and `proxy_hide_header` for the API; where another nginx stands in front, let it see the wish too:',
      code: 'proxy_pass_header X-Accel-Buffering;',
    },
    caddy: {
      say: 'Take `header Cache-Control …` and `header_down` for the API out of the Caddyfile.',
    },
    cloudflare: {
      say: 'Add a Cache Rule for these paths: Bypass cache, and Browser TTL: Respect origin.',
    },
    vercel: { say: 'Take these paths out of `headers` in vercel.json and next.config.js.' },
  },
  http2: {
    millrace: {
      say: 'Until then let the tabs of a browser share one connection, with the same options as `createSession`:',
      code: "import { createSharedSession } from 'millrace/client'",
    },
    nginx: {
      say: 'From 1.25.1 on, in the `server` block (before that: `listen 443 ssl http2;`):',
      code: 'listen 443 ssl;\nhttp2 on;',
    },
    caddy: {
      say: 'It speaks HTTP/2 and 3 with every site that has a certificate: name the site without `http://`, and do not set `protocols h1`.',
    },
    cloudflare: { say: 'Speed, Settings, Protocol Optimization: HTTP/2 on; and Always Use HTTPS.' },
    alb: {
      say: 'Use an HTTPS listener, and do not switch this off:',
      code: 'aws elbv2 modify-load-balancer-attributes --load-balancer-arn ARN \\\n    --attributes Key=routing.http2.enabled,Value=true',
    },
  },
  allowOrigin: {
    millrace: {
      say: 'Name the site whose pages may use the server:',
      code: 'millrace serve ./agents.js --allow-origin ORIGIN',
    },
  },
  cors: {
    nginx: {
      say: 'Answer no `OPTIONS` and add no `Access-Control-…` headers there: the server does both, and a browser refuses what is said twice.',
    },
    caddy: {
      say: 'Add no `Access-Control-…` headers there: the server does, and a browser refuses what is said twice.',
    },
    cloudflare: {
      say: 'Where Access guards the site, let it pass `OPTIONS` on (Bypass options requests to origin); remove Transform Rules that set these headers.',
    },
    vercel: {
      say: 'Take `Access-Control-…` out of `headers` in vercel.json, and let `OPTIONS` reach the handler: `export const OPTIONS = GET`.',
    },
    alb: {
      say: 'A listener with `authenticate-oidc` sends a preflight away to log in; add a rule before it for `OPTIONS`.',
    },
  },
  host: {
    millrace: {
      say: 'Tell the server under which name it is reached:',
      code: 'millrace serve ./agents.js --allow-host HOST',
    },
    nginx: { say: 'Pass on the name that the browser uses:', code: 'proxy_set_header Host $host;' },
  },
  paths: {
    nginx: {
      say: 'Let one `location` have every path; a slash at the end of `proxy_pass` takes the prefix away:',
      code: 'location /base/ {\n    proxy_pass http://127.0.0.1:8787/;\n}',
    },
    caddy: {
      say: 'Take the prefix away before passing on:',
      code: 'handle_path /base/* {\n    reverse_proxy 127.0.0.1:8787\n}',
    },
    vercel: {
      say: 'In vercel.json:',
      code: '{ "rewrites": [{ "source": "/base/:path*", "destination": "https://server.example/:path*" }] }',
    },
    alb: {
      say: 'A rule passes the path on as it is: forward `/*` of a host name to the server, or let a proxy behind it take the prefix away.',
    },
  },
} as const satisfies Record<string, Partial<Record<FixPlace, Fix>>>

/** A row of the table of fixes. */
export type FixName = keyof typeof fixes

/** The fixes of a row, with what the person asked for in place of the stand-ins. */
export function fixesFor(
  name: FixName,
  {
    origin = 'https://app.example',
    host = 'mill.example',
  }: { origin?: string; host?: string } = {},
): Readonly<Partial<Record<FixPlace, Fix>>> {
  const fill = (text: string): string => text.replaceAll('ORIGIN', origin).replaceAll('HOST', host)
  const rows = Object.entries<Fix>(fixes[name])
  return Object.fromEntries(
    rows.map(([place, { say, code }]) => [
      place,
      { say: fill(say), ...(code !== undefined && { code: fill(code) }) },
    ]),
  )
}
