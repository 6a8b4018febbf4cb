import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const opensslPath: string | undefined = [process.env['OPENSSL_PATH'] ?? ''].find(existsSync)

/** Whether openssl, which creates certificates, is missing. */
export const opensslMissing: boolean = opensslPath === undefined

/** Creates a self-signed certificate for the loopback, as `mill.pem` and `mill.key` in a folder. */
export async function createCertificate(folder: string): Promise<void> {
  const options = {
    newkey: 'ec',
    pkeyopt: 'ec_paramgen_curve:prime256v1',
    keyout: join(folder, 'mill.key'),
    out: join(folder, 'mill.pem'),
    days: '2',
    subj: '/CN=localhost',
    addext: 'subjectAltName=DNS:localhost,IP:127.0.0.1',
  }
  const given = Object.entries(options).flatMap(([name, value]) => [`-${name}`, value])
  await promisify(execFile)(opensslPath ?? '', ['req', '-x509', '-nodes', ...given])
}
