import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { createCertificate, opensslMissing } from './certificate.ts'

const pathOf = (variable: string): string | undefined =>
  [process.env[variable] ?? ''].find(existsSync)

const nginxPath = pathOf('NGINX_PATH')
const caddyPath = pathOf('CADDY_PATH')

/** The reason why tests behind nginx are skipped, as a suffix of the name of their suite; empty if they can run. */
export const nginxMissing: string =
  nginxPath !== undefined && !opensslMissing
    ? ''
    : ' (left out: nginx or openssl was not found; install them or set NGINX_PATH and OPENSSL_PATH)'

/** The reason why tests behind Caddy are skipped; empty if they can run. */
export const caddyMissing: string =
  caddyPath === undefined ? ' (left out: caddy was not found; install it or set CADDY_PATH)' : ''

/** A proxy in a separate process, on a free port of the loopback. */
export interface RealProxy {
  /** `https` if the configuration has TLS; no authority has signed the certificate. */
  readonly url: string
  /** The messages that it wrote while it ran. */
  readonly messages: () => Promise<string>
  close(): Promise<void>
}

/** The configuration of a proxy, with `mill.example` on port 443 and the server at `127.0.0.1:8787`. */
export interface ProxyOptions {
  readonly config: string
  /** The port of the server behind it. */
  readonly port: number
}

/** Starts nginx with the content of its `http` block. */
export async function startNginx({ config, port }: ProxyOptions): Promise<RealProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-nginx-'))
  const own = await freePort()
  const isTls = config.includes('ssl_certificate')
  if (isTls) await createCertificate(folder)
  const blocks = config
    .replace('127.0.0.1:8787', `127.0.0.1:${port}`)
    .replace(/listen 443/, `listen 127.0.0.1:${own}`)
    .replaceAll('/etc/ssl/', `${folder}/`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const lines = [
    'daemon off;',
    'worker_processes 1;',
    `pid ${folder}/nginx.pid;`,
    `error_log ${folder}/messages warn;`,
    // Its workers must have access to the folder.
    process.getuid?.() === 0 ? 'user root;' : '',
    'events { worker_connections 1024; }',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
    blocks,
    '}',
  ]
  const file = join(folder, 'nginx.conf')
  await writeFile(file, lines.join('\n'))
  const child = spawn(nginxPath ?? '', ['-c', file, '-p', folder, '-e', join(folder, 'messages')], {
    stdio: 'ignore',
  })
  return toProxy(child, {
    folder,
    port: own,
    url: `${isTls ? 'https' : 'http'}://localhost:${own}`,
  })
}

/** Starts Caddy with a certificate of its own authority. */
export async function startCaddy({ config, port }: ProxyOptions): Promise<RealProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-caddy-'))
  const own = await freePort()
  const global = [
    '{',
    'admin off',
    'skip_install_trust',
    'auto_https disable_redirects',
    `storage file_system ${folder}/data`,
    `log {\noutput file ${folder}/messages\nlevel WARN\n}`,
    '}',
  ]
  const site = config
    .replace('mill.example {', `https://localhost:${own} {\n  bind 127.0.0.1\n  tls internal`)
    .replace('127.0.0.1:8787', `127.0.0.1:${port}`)
  const file = join(folder, 'Caddyfile')
  await writeFile(file, [...global, site].join('\n'))
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const args = ['run', '--config', file, '--adapter', 'caddyfile']
  const child = spawn(caddyPath ?? '', args, { stdio: 'ignore', env })
  return toProxy(child, { folder, port: own, url: `https://localhost:${own}` })
}

async function toProxy(
  child: ChildProcess,
  { folder, port, url }: { folder: string; port: number; url: string },
): Promise<RealProxy> {
  const messages = (): Promise<string> => readFile(join(folder, 'messages'), 'utf8').catch(() => '')
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    }
    await rm(folder, { recursive: true, force: true })
  }
  while (!(await isReady(port, url.startsWith('https:')))) {
    if (child.exitCode !== null) throw new Error(`The proxy has ended: ${await messages()}`)
    await setTimeout(20)
  }
  return { url, messages, close }
}

/** A proxy with TLS may listen for a moment before it has its certificate. */
function isReady(port: number, isTls: boolean): Promise<boolean> {
  const where = { port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false }
  return new Promise((resolve) => {
    const socket = isTls ? connectTls(where) : connect(where)
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })
}

/** Finds a port of the loopback that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
