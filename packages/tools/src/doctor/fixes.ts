import type { ProxyName } from './proxies.ts'

/** A remedy for a problem. */
export interface Fix {
  readonly say: string
  /** The setting to write, or the command to run. */
  readonly code?: string
}

/** The place of a fix: a proxy, or the Millrace server itself. */
export type FixPlace = ProxyName | 'millrace'

/** The fixes of each problem, by place. `ORIGIN` and `HOST` stand for the values of the user. */
export const fixes = {
  buffering: {
    nginx: {
      say: 'In the `location` of the API, and without `proxy_ignore_headers X-Accel-Buffering`:',
      code: 'proxy_buffering off;\nproxy_http_version 1.1;\nproxy_set_header Connection "";',
    },
    caddy: {
      say: 'Flush every write at once:',
      code: 'reverse_proxy 127.0.0.1:8787 {\n    flush_interval -1\n}',
    },
    cloudflare: {
      say: 'It buffers cacheable responses: add a Cache Rule for these paths, Bypass cache, and leave Network, Response Buffering off. A Worker must return `response.body`, never `await response.text()`.',
    },
    vercel: {
      say: 'Return the response of the handler directly from a Route Handler, and do not await its text:',
      code: 'export const dynamic = "force-dynamic"\nexport const GET = (request: Request) => handler.fetch(request)\nexport const POST = GET',
    },
    alb: {
      say: 'A load balancer buffers the responses of a Lambda target; register instances, addresses or containers as targets instead:',
      code: 'aws elbv2 create-target-group --name millrace --target-type ip --protocol HTTP --port 8787 --vpc-id VPC',
    },
  },
  compression: {
    nginx: {
      say: 'In the `location` of the API, or remove `text/event-stream` (and `*`) from `gzip_types` and `brotli_types`:',
      code: 'gzip off;',
    },
    caddy: {
      say: 'Exclude streams from compression:',
      code: '@whole not path /agent/* /doctor/* /ai-sdk/* /ag-ui*\nencode @whole zstd gzip',
    },
    cloudflare: {
      say: 'Leave `cache-control: no-transform` on the responses, or add a Compression Rule for these paths that disables compression.',
    },
    vercel: {
      say: 'Leave `cache-control: no-transform` on the responses; Next.js compresses by default, unless next.config.js has:',
      code: 'module.exports = { compress: false }',
    },
  },
  idle: {
    millrace: {
      say: 'Send heartbeats more often than the idle timeout of the proxy, in the options of `createHandler`:',
      code: 'heartbeatMs: 5_000',
    },
    nginx: {
      say: 'Its timeout is 60 s; in the `location` of the API:',
      code: 'proxy_read_timeout 1h;',
    },
    caddy: {
      say: 'It has no timeout by default; remove `read_timeout` and `write_timeout` from the transport, and `write` from `servers { timeouts }`.',
    },
    cloudflare: {
      say: 'Its timeout is 100 s, and only Enterprise zones can change it: rely on heartbeats, and check that no server or proxy behind it removes them.',
    },
    vercel: {
      say: 'A function ends after its `maxDuration`; raise it in vercel.json, as far as your plan allows:',
      code: '{ "functions": { "app/**/route.ts": { "maxDuration": 800 } } }',
    },
    alb: {
      say: 'Its timeout is 60 s:',
      code: 'aws elbv2 modify-load-balancer-attributes --load-balancer-arn ARN \\\n    --attributes Key=idle_timeout.timeout_seconds,Value=300',
    },
  },
  duration: {
    nginx: {
      say: 'Check `proxy_read_timeout`, and look for a limit on connections in front of or behind it.',
    },
    caddy: {
      say: 'Remove `write` from `servers { timeouts }`, and `write_timeout` from the transport.',
    },
    vercel: {
      say: 'A function ends after its `maxDuration`; raise it in vercel.json, as far as your plan allows:',
      code: '{ "functions": { "app/**/route.ts": { "maxDuration": 800 } } }',
    },
    alb: {
      say: 'It does not limit the duration of a response; check the deregistration delay of the target group, and the servers behind it.',
    },
  },
  requestHeaders: {
    nginx: {
      say: 'In the `location` of the API, and without `proxy_pass_request_headers off`:',
      code: 'proxy_set_header Authorization $http_authorization;\nproxy_set_header Last-Event-ID $http_last_event_id;\nproxy_set_header Accept $http_accept;',
    },
    caddy: {
      say: 'Remove `header_up -Authorization`, `header_up -Last-Event-ID` and the like from `reverse_proxy`.',
    },
    cloudflare: {
      say: 'Look for a Transform Rule that removes request headers, and for a Worker that creates its own request: it must pass on `request.headers`.',
    },
    vercel: {
      say: 'A middleware or a route that calls the server must pass the headers on:',
      code: 'fetch(url, { headers: request.headers })',
    },
    alb: {
      say: 'It removes none of these; check the proxies before and behind it. A listener with `authenticate-oidc` redirects users to a login instead.',
    },
  },
  answerHeaders: {
    nginx: {
      say: 'Remove `expires`, `add_header Cache-Control` and `proxy_hide_header` for the API; if another nginx is in front, pass the header on to it:',
      code: 'proxy_pass_header X-Accel-Buffering;',
    },
    caddy: {
      say: 'Remove `header Cache-Control …` and `header_down` for the API from the Caddyfile.',
    },
    cloudflare: {
      say: 'Add a Cache Rule for these paths: Bypass cache, and Browser TTL: Respect origin.',
    },
    vercel: { say: 'Remove these paths from `headers` in vercel.json and next.config.js.' },
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
      say: 'It uses HTTP/2 and 3 for every site with a certificate: name the site without `http://`, and do not set `protocols h1`.',
    },
    cloudflare: { say: 'Speed, Settings, Protocol Optimization: HTTP/2 on; and Always Use HTTPS.' },
    alb: {
      say: 'Use an HTTPS listener, and keep this enabled:',
      code: 'aws elbv2 modify-load-balancer-attributes --load-balancer-arn ARN \\\n    --attributes Key=routing.http2.enabled,Value=true',
    },
  },
  allowOrigin: {
    millrace: {
      say: 'Allow the site whose pages use the server:',
      code: 'millrace serve ./agents.js --allow-origin ORIGIN',
    },
  },
  cors: {
    nginx: {
      say: 'Do not answer `OPTIONS` or add `Access-Control-…` headers there: the server does both, and browsers reject duplicates.',
    },
    caddy: {
      say: 'Do not add `Access-Control-…` headers there: the server does, and browsers reject duplicates.',
    },
    cloudflare: {
      say: 'If Access protects the site, let it pass on `OPTIONS` (Bypass options requests to origin); remove Transform Rules that set these headers.',
    },
    vercel: {
      say: 'Remove `Access-Control-…` from `headers` in vercel.json, and let `OPTIONS` reach the handler: `export const OPTIONS = GET`.',
    },
    alb: {
      say: 'A listener with `authenticate-oidc` redirects a preflight to a login; add a rule before it for `OPTIONS`.',
    },
  },
  host: {
    millrace: {
      say: 'Allow the name under which clients reach the server:',
      code: 'millrace serve ./agents.js --allow-host HOST',
    },
    nginx: {
      say: 'Pass on the host name that the browser uses:',
      code: 'proxy_set_header Host $host;',
    },
  },
  paths: {
    nginx: {
      say: 'Use one `location` for every path; a slash at the end of `proxy_pass` removes the prefix:',
      code: 'location /base/ {\n    proxy_pass http://127.0.0.1:8787/;\n}',
    },
    caddy: {
      say: 'Remove the prefix before the request is passed on:',
      code: 'handle_path /base/* {\n    reverse_proxy 127.0.0.1:8787\n}',
    },
    vercel: {
      say: 'In vercel.json:',
      code: '{ "rewrites": [{ "source": "/base/:path*", "destination": "https://server.example/:path*" }] }',
    },
    alb: {
      say: 'A rule keeps the path unchanged: forward `/*` of a host name to the server, or let a proxy behind it remove the prefix.',
    },
  },
} as const satisfies Record<string, Partial<Record<FixPlace, Fix>>>

/** A row of the table of fixes. */
export type FixName = keyof typeof fixes

/** Returns the fixes of a row, with the values of the user. */
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
