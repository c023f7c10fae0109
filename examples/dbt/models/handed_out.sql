-- What is handed out: without the person, in random order, and only if the gate lets it pass.
-- depends_on: {{ ref('privacy_gate') }}
select age, sex, district, income
from {{ ref('released') }}
order by random()
