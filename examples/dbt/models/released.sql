-- Ages by decade, incomes by thousand. The person is kept for the gate and is not in `handed_out`.
select
    person,
    cast(floor(age / 10) * 10 as integer) as age,
    sex,
    district,
    cast(floor(income / 1000) * 1000 as integer) as income
from {{ ref('people') }}
