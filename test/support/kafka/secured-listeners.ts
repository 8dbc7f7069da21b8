import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.js';

/** Who may log in at the secured listeners, by any mechanism. */
export interface BrokerUser {
  readonly username: string;
  readonly password: string;
}

/** `host:port` of the listeners beside the open one: with a password, by TLS, and both. */
export interface SecuredListeners {
  readonly password: string;
  readonly tls: string;
  readonly passwordAndTls: string;
  /** The PEM file of the authority that signed the certificate. */
  readonly certificateAuthority: string;
}

/** What a broker with secured listeners is prepared with. */
export interface SecuredSettings {
  readonly listeners: SecuredListeners;
  /** Lines of server.properties. */
  readonly settings: Readonly<Record<string, string>>;
  /** Arguments of the formatting of its storage. */
  readonly formatArguments: readonly string[];
}

const run = promisify(execFile);
const storePassword = 'changeit';
const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
const modules = 'org.apache.kafka.common.security';

/** Listeners that ask for SASL (PLAIN and SCRAM), for TLS and for both, beside the open one. A user may do only what ACLs allow; who is on the open one may do all. */
export async function securedSettings(directory: string, users: readonly BrokerUser[]): Promise<SecuredSettings> {
  const [password, tls, passwordAndTls] = await Promise.all([freePort(), freePort(), freePort()]);
  const protocols = { PASSWORD: 'SASL_PLAINTEXT', TLS: 'SSL', PASSWORDANDTLS: 'SASL_SSL' };
  const addresses = { PASSWORD: password, TLS: tls, PASSWORDANDTLS: passwordAndTls };
  const certificateAuthority = await makeCertificates(directory);
  const at = (port: number) => `127.0.0.1:${port}`;
  return {
    listeners: { password: at(password), tls: at(tls), passwordAndTls: at(passwordAndTls), certificateAuthority },
    settings: {
      listeners: Object.entries(addresses)
        .map(([name, port]) => `${name}://${at(port)}`)
        .join(','),
      'listener.security.protocol.map': Object.entries(protocols)
        .map(([name, protocol]) => `${name}:${protocol}`)
        .join(','),
      'sasl.enabled.mechanisms': ['PLAIN', ...scram].join(','),
      ...logins('password', users),
      ...logins('passwordandtls', users),
      'ssl.keystore.type': 'PKCS12',
      'ssl.keystore.location': join(directory, 'broker.p12'),
      'ssl.keystore.password': storePassword,
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
    },
    formatArguments: users.flatMap(({ username, password: secret }) =>
      scram.flatMap((mechanism) => ['--add-scram', `${mechanism}=[name=${username},password=${secret}]`]),
    ),
  };
}

function logins(listener: string, users: readonly BrokerUser[]): Record<string, string> {
  const known = users.map(({ username, password }) => ` user_${username}="${password}"`).join('');
  const prefix = `listener.name.${listener}`;
  return {
    [`${prefix}.plain.sasl.jaas.config`]: `${modules}.plain.PlainLoginModule required${known};`,
    ...Object.fromEntries(
      scram.map((mechanism) => [
        `${prefix}.${mechanism.toLowerCase()}.sasl.jaas.config`,
        `${modules}.scram.ScramLoginModule required;`,
      ]),
    ),
  };
}

/** An authority of its own, and in broker.p12 a certificate for 127.0.0.1 that it signed. */
async function makeCertificates(directory: string): Promise<string> {
  const file = (name: string) => join(directory, name);
  const keytool = (command: string, store: string, ...args: readonly string[]) =>
    run('keytool', [command, '-keystore', file(store), '-storetype', 'PKCS12', '-storepass', storePassword, ...args]);
  const key = ['-keyalg', 'EC', '-validity', '30'];
  await keytool(
    '-genkeypair',
    'authority.p12',
    '-alias',
    'authority',
    '-dname',
    'CN=test authority',
    '-ext',
    'bc:c',
    ...key,
  );
  await keytool('-exportcert', 'authority.p12', '-alias', 'authority', '-rfc', '-file', file('authority.pem'));
  await keytool('-genkeypair', 'broker.p12', '-alias', 'broker', '-dname', 'CN=broker', ...key);
  await keytool('-certreq', 'broker.p12', '-alias', 'broker', '-file', file('broker.csr'));
  const signing = ['-alias', 'authority', '-infile', file('broker.csr'), '-ext', 'san=ip:127.0.0.1', '-validity', '30'];
  await keytool('-gencert', 'authority.p12', ...signing, '-rfc', '-outfile', file('broker.pem'));
  await keytool('-importcert', 'broker.p12', '-alias', 'authority', '-noprompt', '-file', file('authority.pem'));
  await keytool('-importcert', 'broker.p12', '-alias', 'broker', '-noprompt', '-file', file('broker.pem'));
  return file('authority.pem');
}
